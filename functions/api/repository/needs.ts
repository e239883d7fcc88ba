/** Of operations that read code. */
export const readsCode = { scope: ["repository"], repository: { mode: "read", unit: "code" } } as const;

/** Of operations that write code. */
export const writesCode = {
  scope: ["repository"],
  login: true,
  repository: { mode: "write", unit: "code" },
} as const;
