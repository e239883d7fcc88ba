/** Makes a value on first use and keeps it; a failure is not kept. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** The member that names the object behind a view. */
export const viewed = Symbol("viewed");

/**
 * One value for each object, made on first use and kept as long as the object: a process's memory of a table. Views of
 * an object share its value.
 */
export function lazyFor<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, T>();
  return (one) => {
    const key = (one as { readonly [viewed]?: K })[viewed] ?? one;
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
