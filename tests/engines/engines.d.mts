/** The engines that tests are played on, and the beginnings of those tests' paths; absent: all that make a table. */
export const engines: Readonly<Record<string, { readonly tests?: readonly string[] }>>;
