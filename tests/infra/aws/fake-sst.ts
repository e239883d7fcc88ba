/** A component or raw resource as `sst.config.ts` declared it, with everything that was called on it later. */
export interface Declaration {
  /** Such as `sst.aws.Dynamo`. */
  readonly type: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly calls: { method: string; args: unknown[] }[];
}

/** A value that only a deploy would know: here a readable stand-in for it. */
class Output {
  readonly #value: unknown;
  constructor(value: unknown) {
    this.#value = value;
  }
  apply(transform: (value: unknown) => unknown): unknown {
    return output(transform(resolved(this.#value)));
  }
  toJSON(): unknown {
    return resolved(this.#value);
  }
}

function output(value: unknown): unknown {
  return value instanceof Output ? value : new Output(value);
}

/** The value with every Output in it replaced by what it holds; declarations become their names. */
export function resolved(value: unknown): unknown {
  if (value instanceof Output) return value.toJSON();
  if (Array.isArray(value)) return value.map(resolved);
  const declaration = declarationOf(value);
  if (declaration !== undefined) return declaration.name;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one)]));
}

const declarationKey = Symbol("declaration");

function declarationOf(value: unknown): Declaration | undefined {
  if (value === null || typeof value !== "object") return undefined;
  return (value as { [declarationKey]?: Declaration })[declarationKey];
}

/** What the values stand for that this run knows: `OriginSecret.value` and the like. */
type KnownValues = Readonly<Record<string, string>>;

/** `${Table.arn}` for `table.arn` unless its value is known; deeper properties likewise, in `apply` too. */
function reference(path: string, known: KnownValues): unknown {
  return new Proxy(new Output(known[path] ?? `\${${path}}`), {
    get(target, property, self) {
      if (property === "apply" && known[path] === undefined)
        return (transform: (value: unknown) => unknown) => output(transform(self));
      if (property in target || typeof property === "symbol") {
        const member = Reflect.get(target, property, target) as unknown;
        return typeof member === "function" ? member.bind(target) : member;
      }
      return reference(`${path}.${property}`, known);
    },
  });
}

const recordedMethods = new Set(["route", "subscribe"]);

function component(declaration: Declaration, known: KnownValues): object {
  return new Proxy(
    {},
    {
      get(_target, property) {
        if (property === declarationKey) return declaration;
        if (typeof property === "symbol" || property === "then") return undefined;
        if (!recordedMethods.has(property)) return reference(`${declaration.name}.${property}`, known);
        return (...args: unknown[]) => {
          declaration.calls.push({ method: property, args });
        };
      },
    },
  );
}

/** What a wrapped link says of a resource: its properties, and what may be done with it. */
export interface LinkDefinition {
  properties: Record<string, unknown>;
  include?: { actions: string[] }[];
}

/** Everything that one run of `sst.config.ts` declared. */
export interface Declarations {
  readonly declared: Declaration[];
  /** How the resources of a type are linked, by type. */
  readonly links: Map<string, (resource: object) => LinkDefinition>;
  readonly known: KnownValues;
}

/** Records whatever is constructed under a path such as `sst.aws.Dynamo`. */
function recorder(path: string, { declared, known }: Declarations) {
  return (_target: unknown, [name, args = {}]: [string, Record<string, unknown>?]) => {
    const declaration: Declaration = { type: path, name, args, calls: [] };
    declared.push(declaration);
    return component(declaration, known);
  };
}

/** A name space such as `sst.aws`: what is constructed in it is recorded, whatever its name. */
function nameSpace(path: string, declarations: Declarations): unknown {
  const members: Record<string, unknown> = {
    "sst.aws.permission": (granted: unknown) => granted,
    "sst.Linkable.wrap": (type: { path: string }, define: (resource: object) => LinkDefinition) =>
      declarations.links.set(type.path, define),
    "aws.iam.getPolicyDocumentOutput": (document: unknown) => ({ json: document }),
  };
  if (path in members) return members[path];
  return new Proxy(Object, {
    get: (_target, property) =>
      property === "path" ? path : nameSpace(`${path}.${String(property)}`, declarations),
    construct: recorder(path, declarations),
  });
}

function interpolate(strings: TemplateStringsArray, ...values: unknown[]): unknown {
  return new Output(
    strings.map((text, at) => text + (at < values.length ? String(resolved(values[at])) : "")).join(""),
  );
}

/** The globals of `sst.config.ts`, recording: none of SST is needed. */
export function fakeGlobals(stage: string, declarations: Declarations): Record<string, unknown> {
  return {
    $app: { name: "coldforge", stage },
    $config: (config: unknown) => config,
    $interpolate: interpolate,
    $output: output,
    $util: { asset: { AssetArchive: Object, StringAsset: String } },
    sst: nameSpace("sst", declarations),
    aws: nameSpace("aws", declarations),
  };
}
