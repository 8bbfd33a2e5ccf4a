#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps the weights file, read-only and shared. On STRATA_OK, `*weights` is the pointer for the entry; a file of another size or with another header is STRATA_WRONG_WEIGHTS_FILE. The header contains a hash of the weights, which is not verified here: that would read them all. */
static inline int32_t ENTRY_map_weights(const char *path, const void **weights) {
  const size_t offset = PREFIX_WEIGHTS_OFFSET;
  const size_t size = offset + PREFIX_WEIGHTS_SIZE;
  struct stat found;
  uint64_t hash = 0xcbf29ce484222325u;
  const int file = open(path, O_RDONLY);
  void *mapped = MAP_FAILED;
  const unsigned char *bytes = NULL;
  *weights = NULL;
  if (file < 0) return STRATA_NO_WEIGHTS_FILE;
  if (fstat(file, &found) != 0) {
    close(file);
    return STRATA_NO_WEIGHTS_FILE;
  }
  if (found.st_size < 0 || STRATA_CAST(uint64_t, found.st_size) != size) {
    close(file);
    return STRATA_WRONG_WEIGHTS_FILE;
  }
  mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return STRATA_NO_WEIGHTS_FILE;
  bytes = STRATA_CAST(const unsigned char *, mapped);
  for (size_t at = 0; at < offset; at++) {
    hash = (hash ^ bytes[at]) * 0x100000001b3u;
  }
  if (hash != PREFIX_WEIGHTS_HASH) {
    munmap(mapped, size);
    return STRATA_WRONG_WEIGHTS_FILE;
  }
  *weights = bytes + offset;
  return STRATA_OK;
}

/* Unmaps the weights, which no call may use any more. */
static inline void ENTRY_unmap_weights(const void *weights) {
  const size_t offset = PREFIX_WEIGHTS_OFFSET;
  const unsigned char *bytes = STRATA_CAST(const unsigned char *, weights) - offset;
  /* Through an integer, because C has no cast that only removes `const`. */
  munmap(STRATA_ADDRESS(bytes), offset + PREFIX_WEIGHTS_SIZE);
}
#endif
