/**
 * Allocators map an allocation above 32 MiB (glibc's largest `M_MMAP_THRESHOLD`) separately: it takes only the memory
 * that is written to, and freeing it gives all of it back. Smaller ones lie in a thread's heap, which keeps freed
 * memory as long as anything behind it is in use.
 */
const mappedBytes = 33 * 2 ** 20;
const leastMapped = 2 * 2 ** 20;

/** A buffer of zeros, mapped separately when it is large enough to be worth that. */
export function allocLarge(size: number): Buffer<ArrayBuffer> {
  const mapped = new ArrayBuffer(size < leastMapped ? size : Math.max(size, mappedBytes));
  return Buffer.from(mapped, 0, size);
}
