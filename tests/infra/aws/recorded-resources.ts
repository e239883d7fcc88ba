import type { RecordedResource } from "./recording.ts";

type Inputs = Record<string, unknown>;

/** A resource's inputs, typed by what the reader expects of them. */
type Typed<T> = { name: string; inputs: T };

const secretMark = "4dabf18193072939515e22adb298388d";

/** Values that depend on a secret arrive wrapped in Pulumi's mark; the mark is taken off. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  if (value === null || typeof value !== "object") return value;
  if (secretMark in value) return unwrapped((value as unknown as { value: unknown }).value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unwrapped(one)]));
}

/** Finds resources by Pulumi type. */
export function finder(resources: RecordedResource[]) {
  const all = <T = Inputs>(type: string): Typed<T>[] =>
    resources
      .filter((resource) => resource.type === type)
      .map(({ name, inputs }) => ({ name, inputs: unwrapped(inputs) as T }));
  const one = <T = Inputs>(type: string): T => {
    const found = all<T>(type);
    const [first] = found;
    if (first === undefined || found.length > 1) throw new Error(`${found.length} resources of type ${type}`);
    return first.inputs;
  };
  return { all, one };
}
export type Find = ReturnType<typeof finder>;

/** The function or the queue that an ARN, a URL or a logical name stands for. */
export const functionOf = (arnOrName: string) => (arnOrName.split(":").at(-1) ?? "").replace(/Function$/, "");
export const queueOf = (arnOrUrl: string) => (arnOrUrl.split(/[:/]/).at(-1) ?? "").replace(/Queue$/, "");
