/**
 * An allocation above 32 MiB is mapped for itself by the allocators at hand (glibc's largest `M_MMAP_THRESHOLD`): it
 * takes the memory that is written to, and gives it back whole. What is smaller lies in a thread's heap, which keeps
 * what is freed below anything that stays.
 */
const mappedBytes = 33 * 2 ** 20;
const leastMapped = 2 * 2 ** 20;

/** Zeros for one large thing that many small ones would otherwise lie around. */
export function allocLarge(size: number): Buffer<ArrayBuffer> {
  const mapped = new ArrayBuffer(size < leastMapped ? size : Math.max(size, mappedBytes));
  return Buffer.from(mapped, 0, size);
}
