import { readFileSync } from "node:fs";

/** An operation as the compatible family's document declares it; `docs/spec/README.md` tells the form. */
export interface FamilyOperation {
  /** Method and path. */
  readonly operation: string;
  readonly id: string;
  readonly tag: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly formData?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly produces?: readonly string[];
  /** The successes: the form of the body by status. */
  readonly answers: Readonly<Record<string, string>>;
}

/** A schema of the family: its fields, or what it is when it has none. */
export interface FamilySchema {
  readonly name: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly type?: string;
}

const rowsOf = <Row>(name: string): readonly Row[] =>
  readFileSync(new URL(`../../../docs/spec/${name}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

/** Every operation of the family. */
export const familyOperations = rowsOf<FamilyOperation>("family-operations.jsonl");

/** Every named schema of the family. */
export const familySchemas = rowsOf<FamilySchema>("family-schemas.jsonl");

/** An operation's place, whatever its parameters are called. */
export const placeOf = (operation: string): string => operation.replaceAll(/\{[^}]*\}/g, "{}");
