"""A headless Chromium, driven by its DevTools protocol over a pair of pipes.

with Browser(path_of_a_page) as page:
    page.run("document.title")            the value of an expression
    page.move(x, y); page.click(x, y); page.type("text"); page.press("Escape")
    page.screenshot(path)
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

SECONDS = 30.0
"""The time that an answer may take: browsers start slowly on a machine that is at work."""


class Browser:
    """A window of 1280 by 800 with one page in it; messages are JSON that ends with a zero byte."""

    def __init__(self, page: Path, *, dark: bool = False):
        assert CHROMIUM is not None
        self._profile = tempfile.mkdtemp()
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        options += [f"--user-data-dir={self._profile}", "--window-size=1280,800", "--hide-scrollbars"]
        options += ["--disable-background-networking", "--disable-extensions", "--force-color-profile=srgb"]
        options += ["--blink-settings=preferredColorScheme=0"] if dark else []
        pipes = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", pipes, CHROMIUM, *options, "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.errors: list[str] = []
        targets = self.ask("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.ask(f"{domain}.enable")
        size = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=page.resolve().as_uri())
        self.until("document.readyState === 'complete' && document.querySelector('.row') !== null")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def ask(self, method: str, **parameters: Any) -> Any:
        """The answer to a command; what the page reports meanwhile is noted."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(answer["params"]["exceptionDetails"]))

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            read = os.read(self._read, 1 << 16)
            assert read, "the browser has ended"
            self._buffer += read
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def run(self, expression: str) -> Any:
        """The value of an expression, or of the promise that it gives."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        deadline = time.monotonic() + SECONDS
        while not self.run(expression):
            assert time.monotonic() < deadline, f"this does not come true: {expression}"
            time.sleep(0.02)

    def place(self, selector: str, text: str | None = None) -> tuple[float, float]:
        """The middle of the first element in view that a selector finds and that has a text in it.

        If no such element is in view, the first one is scrolled into view.
        """
        found = self.run(
            f"""(() => {{
              const text = {json.dumps(text)};
              const matching = [...document.querySelectorAll({json.dumps(selector)})].filter(
                e => e.getBoundingClientRect().width && (text === null || e.textContent.includes(text))
              );
              const middle = e => {{
                const b = e.getBoundingClientRect();
                return [b.left + Math.min(b.width, 300) / 2, b.top + b.height / 2];
              }};
              const isSeen = e => e.contains(document.elementFromPoint(...middle(e)));
              const seen = matching.find(isSeen) ?? matching[0];
              seen?.scrollIntoView({{block: "nearest"}});
              return seen && isSeen(seen) ? middle(seen) : null;
            }})()"""
        )
        assert found is not None, f"nothing in view is {selector} with {text}"
        return found[0], found[1]

    def move(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        """Move the mouse and press its left button."""
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.ask("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press a key."""
        code = {"Escape": 27, "Enter": 13}.get(key, 0)
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path: Path) -> None:
        """Write what the window shows as a PNG."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
