import type { FamilyOperation } from "#tests/support/contract/family";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}
interface Parameter extends Omit<Schema, "required"> {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly collectionFormat?: string;
  readonly schema?: Schema;
}
type Form = Omit<Schema, "required">;
/** An operation of the Swagger 2 form. */
export interface Operation {
  readonly operationId: string;
  readonly "x-original-name"?: string;
  readonly parameters?: readonly Parameter[];
  readonly produces?: readonly string[];
  readonly responses: Readonly<Record<string, { readonly schema?: Schema }>>;
}

/** What differs in an operation, a line each. */
export function compared(theirs: FamilyOperation, ours: Operation): string[] {
  const { id } = theirs;
  const name = [ours.operationId, ours["x-original-name"]].includes(id)
    ? []
    : [`${id}: here ${ours.operationId}`];
  const [body] = (ours.parameters ?? []).filter((one) => one.in === "body");
  const bodyForm = body?.schema && formOf(body.schema);
  const ofBody = bodyForm === theirs.body ? [] : [`${id} body: ${theirs.body}, here ${bodyForm}`];
  const types = theirs.produces ?? ["application/json"];
  const given = ours.produces ?? ["application/json"];
  const isGiven = given.some((type) => types.includes(type));
  return [
    ...name,
    ...parametersOf(theirs, ours),
    ...ofBody,
    ...answersOf(theirs, ours),
    ...(isGiven || isFileIn(theirs) ? [] : [`${id} produces: ${types}, here ${given}`]),
  ];
}

/** The family names no media type for some files. */
const isFileIn = ({ answers }: FamilyOperation): boolean =>
  Object.values(answers).some((form) => ["file", "string", "empty", "any"].includes(form));

function answersOf({ id, answers }: FamilyOperation, { responses }: Operation): string[] {
  const own = Object.keys(responses).filter((status) => status.startsWith("2") && !(status in answers));
  return [
    ...Object.entries(answers).flatMap(([status, form]) => {
      const answer = responses[status];
      if (answer === undefined) return [`${id} ${status}: not here`];
      const here = answer.schema === undefined ? "empty" : formOf(answer.schema);
      return isAlike(form, here) ? [] : [`${id} ${status}: ${form}, here ${here}`];
    }),
    ...own.map((status) => `${id} ${status}: only here`),
  ];
}

/** Its type, its words when it has some, `!` when it is demanded, and what it is when absent. */
const parameterForm = /^(?<type>[^!= ]*)(?: (?<words>[^!=]*))?(?<must>!?)(?:=(?<standard>.*))?$/;

/** What differs in the parameters of the path, the query and the form. Whether a body may be left out isn't compared. */
function parametersOf(theirs: FamilyOperation, { parameters = [] }: Operation): string[] {
  const places = ["path", "query", "formData"] as const;
  const declared = places.flatMap((place) =>
    Object.entries(theirs[place] ?? {}).map(([name, form]) => ({ place, name, form })),
  );
  const known = new Set(declared.map(({ place, name }) => `${place} ${name}`));
  const own = parameters.filter((one) => one.in !== "body" && !known.has(`${one.in} ${one.name}`));
  return [
    ...declared.flatMap(({ place, name, form }) => {
      const here = parameters.find((one) => one.in === place && one.name === name);
      const what = here === undefined ? ["not here"] : comparedParameter(form, here, place === "path");
      return what.map((one) => `${theirs.id} ${place} ${name}: ${one}`);
    }),
    ...own.map((one) => `${theirs.id} ${one.in} ${one.name}: only here`),
  ];
}

function comparedParameter(form: string, here: Parameter, isOfPath: boolean): string[] {
  const { type = "", words, must, standard } = parameterForm.exec(form)?.groups ?? {};
  const ours = formOf(here);
  const isMust = must === "!" || isOfPath;
  return [
    ...(isAlike(type, ours) ? [] : [`${type}, here ${ours}`]),
    ...comparedWords(words, here.enum ?? here.items?.enum),
    ...(isMust === (here.required === true) ? [] : [isMust ? "demanded" : "optional"]),
    ...(here.type === "array" && here.collectionFormat !== "multi" ? ["not named several times"] : []),
    ...(standard === undefined || standard === JSON.stringify(here.default)
      ? []
      : [`${standard} when absent`]),
  ];
}

/** What differs in the fields of a schema. Fields that only one of the family's two has may be missing. */
export function comparedFields(
  name: string,
  fields: Readonly<Record<string, string>>,
  ours: Schema,
): string[] {
  const here = ours.properties ?? {};
  const own = Object.keys(here).filter((field) => !(field in fields));
  return [
    ...Object.entries(fields).flatMap(([field, form]) => {
      const one = here[field];
      if (one === undefined) return form.endsWith("?") ? [] : [`${name}.${field}: not here`];
      const [, type = "", words, must = ""] = /^([^ !?]*)(?: ([^!?]*))?([!?]*)$/.exec(form) ?? [];
      const isDemanded = (ours.required ?? []).includes(field);
      return [
        ...(isAlike(type, formOf(one)) ? [] : [`${type}, here ${formOf(one)}`]),
        ...(isDemanded === must.includes("!") ? [] : [isDemanded ? "optional" : "demanded"]),
        ...comparedWords(words, one.enum),
      ].map((what) => `${name}.${field}: ${what}`);
    }),
    ...own.map((field) => `${name}.${field}: only here`),
  ];
}

/** The words that a value is one of, in any order; undefined: it is any text. */
function comparedWords(theirs: string | undefined, ours: readonly string[] | undefined): string[] {
  const wanted = theirs?.split("|") ?? [];
  const known = ours ?? [];
  const lacks = wanted.filter((word) => !known.includes(word));
  const more = known.filter((word) => !wanted.includes(word));
  if (lacks.length === 0 && more.length === 0) return [];
  if (ours === undefined) return [`${theirs}, here any text`];
  return [`${theirs ?? "any text"}, here ${[...lacks.map((one) => `no ${one}`), ...more].join("|")}`];
}

/** The form of a schema in the words of the family's list. */
export function formOf(schema: Form): string {
  const { $ref, type, format, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.replace("#/definitions/", "");
  if (type === "array") return `${items === undefined ? "any" : formOf(items)}[]`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => `${name}:${formOf(field)}`);
    return `object{${fields.sort().join(",")}}`;
  }
  if (additionalProperties !== undefined) return `map<${formOf(additionalProperties)}>`;
  if (type === undefined) return "any";
  return format === undefined ? type : `${type}:${format}`;
}

/** The family leaves out some formats of whole numbers, and tells no more of a map than that it is an object. */
function isAlike(theirs: string, ours: string): boolean {
  const withFormat = [
    theirs.replace("integer|number", "integer:int64"),
    theirs.replace(/^integer$/, "integer:int64"),
  ];
  return [theirs, ...withFormat].includes(ours) || (theirs === "object" && /^(map<|object\{)/.test(ours));
}
