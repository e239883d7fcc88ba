/** What operations of registries need: clients send no credentials before they are asked for some (D-CHALLENGE). */
export const readsRegistry = { package: { mode: "read", challenges: true } } as const;
export const writesRegistry = { package: { mode: "write", challenges: true } } as const;
