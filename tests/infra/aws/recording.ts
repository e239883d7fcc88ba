/** A resource as the mocked engine saw it: Pulumi's type, logical name and resolved inputs. */
export interface RecordedResource {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
}

/** A function as SST hands it to its bundler. */
export interface RecordedBuild {
  readonly functionID: string;
  readonly handler: string;
  readonly links: Record<string, Record<string, unknown>>;
  /** What `nodejs` says of its bundle. */
  readonly properties: { readonly splitting?: boolean; readonly install?: string[] };
  /** What the function's own hook put into its bundle. */
  readonly addedFiles: string[];
}

/** Everything that one run of `sst.config.ts` declared. */
export interface Recording {
  readonly resources: RecordedResource[];
  readonly builds: RecordedBuild[];
}
