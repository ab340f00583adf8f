// Memory that stays between calls: pages of fresh memory would be given and zeroed by the system each time.
#include <stdlib.h>

static void *scratch(size_t bytes) {
  static void *kept;
  static size_t size;
  if (bytes > size) {
    free(kept);
    kept = malloc(bytes);
    size = bytes;
  }
  return kept;
}
