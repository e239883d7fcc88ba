/** A program on users' machines that every installation knows. It has no secret. */
export interface BuiltIn {
  /** As `DEFAULT_APPLICATIONS` names it. */
  readonly setting: string;
  readonly name: string;
  readonly clientId: string;
}

/** The family's, under its client ids (semantics §68.1). */
const builtIns: readonly BuiltIn[] = [
  {
    setting: "git-credential-oauth",
    name: "git-credential-oauth",
    clientId: "a4792ccc-144e-407e-86c9-5e7d8d9c3269",
  },
  {
    setting: "git-credential-manager",
    name: "Git Credential Manager",
    clientId: "e90ee53c-94e2-48ac-9358-a874fb9e0662",
  },
  { setting: "tea", name: "tea", clientId: "d57cb8c4-630c-4168-8324-ec79935e18d4" },
];

/** The names that the setting takes. */
export const builtInNames: readonly string[] = builtIns.map(({ setting }) => setting);

/** Where all of them are reached: a port of the user's machine. */
export const builtInRedirectUris: readonly string[] = ["http://127.0.0.1", "https://127.0.0.1"];

/** The built-in program of a client id, if the setting has it. */
export const builtInOf = (enabled: readonly string[], clientId: string): BuiltIn | undefined =>
  builtIns.find((one) => one.clientId === clientId && enabled.includes(one.setting));
