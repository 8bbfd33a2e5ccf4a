/* Permission to use tiles (AMX) for programs compiled by Strata, which Linux gives to a process that asks.
 *
 *   #include "strata/tiles.h"
 *
 *   int main(void) {
 *     strata_permit_tiles();   // once, before the first call; without it the same code runs on vectors
 *
 * Ask before threads set small stacks for signals: Linux refuses where one has no room for tiles. Everything is static: include this where it
 * is used. In a shared library, ask in each that objects are linked into.
 */
#ifndef STRATA_TILES_H
#define STRATA_TILES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#if !defined(__cplusplus) && !defined(__USE_MISC)
/* Not in <unistd.h> of strict C. */
long syscall(long number, ...);
#endif

/* Of all objects that have code for tiles; NULL where there is none. */
extern int32_t strata_tiles __attribute__((weak));

/* Asks for tiles, and says so to all objects that are linked into the same program or library; whether they are permitted. */
static inline int strata_permit_tiles(void) {
  const long request = 0x1023; /* ARCH_REQ_XCOMP_PERM */
  const long tile_data = 18;   /* XFEATURE_XTILEDATA */
  int is_permitted = syscall(SYS_arch_prctl, request, tile_data) == 0;
  if (&strata_tiles) __atomic_store_n(&strata_tiles, is_permitted, __ATOMIC_RELAXED);
  return is_permitted;
}
#else
static inline int strata_permit_tiles(void) { return 0; }
#endif

#ifdef __cplusplus
}
#endif

#endif /* STRATA_TILES_H */
