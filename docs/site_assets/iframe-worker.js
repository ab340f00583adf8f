// Browsers start no workers for pages that are opened from a folder: a hidden frame does the work of the search there.
if (window.location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.document.open();
      inner.document.write("<!DOCTYPE html><title>worker</title>");
      inner.document.close();
      const base = new URL(url, document.baseURI);
      const load = (address) =>
        new Promise((done, failed) => {
          const script = inner.document.createElement("script");
          script.onload = done;
          script.onerror = failed;
          script.src = new URL(address, base).href;
          inner.document.documentElement.append(script);
        });
      inner.importScripts = (...addresses) =>
        addresses.reduce((before, address) => before.then(() => load(address)), Promise.resolve());
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = load(base);
    }

    postMessage(data) {
      const { contentWindow: inner } = this.frame;
      this.ready.then(() => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
    }

    set onmessage(listener) {
      this.addEventListener("message", listener);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
