import { addComputeThread } from "#infra/aws/thread-scripts";
import { declaredShape } from "./declared-shape.ts";
import type { DeployedFunction } from "./deployed-shape.ts";
import {
  bundleHandlers,
  type ColdStart,
  type HandlerProcess,
  handlerEnvironment,
  startHandler,
} from "./handler-process.ts";
import { type LinkedStandIns, startLinkedStandIns } from "./stand-in-links.ts";

export interface StartOptions {
  /** Links that are kept from it. */
  readonly without?: readonly string[];
  /** Settings as a deployer would give them. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The functions of `sst.config.ts`, bundled as SST does, on stand-ins for what they are linked to. */
export interface DeployedFunctions {
  readonly names: readonly string[];
  readonly standIns: LinkedStandIns;
  readonly secrets: { readonly SecretKey: string; readonly OriginSecret: string };
  /** What a cold start of one loads. */
  coldStart(name: string): ColdStart;
  /** Paths of all modules of one, its own first, those too that are loaded when they are used. */
  modules(name: string): readonly string[];
  /** Starts one with its own links alone. */
  start(name: string, options?: StartOptions): Promise<HandlerProcess>;
  /** Ends what was started since the last call. */
  stopStarted(): Promise<void>;
  stop(): Promise<void>;
}

const secrets = {
  SecretKey: Buffer.alloc(32, 7).toString("base64"),
  OriginSecret: "an-origin-secret-of-32-characters",
};

/** Starts the stand-ins and bundles all functions. */
export async function startDeployedFunctions(): Promise<DeployedFunctions> {
  const standIns = await startLinkedStandIns(secrets);
  const shape = await declaredShape("test", secrets);
  const functions = new Map(shape.functions.map((one) => [one.name, standIns.link(one)]));
  const bundles = await bundleHandlers(shape.functions);
  for (const handlers of ["functions/git", "functions/api", "functions/workers"]) {
    await addComputeThread(handlers)(bundles.folder);
  }
  const started: HandlerProcess[] = [];

  const deployed = (name: string): DeployedFunction => {
    const found = functions.get(name);
    if (found === undefined) throw new Error(`no function ${name}`);
    return found;
  };
  const stopStarted = async () => {
    for (const one of started.splice(0)) await one.stop();
  };
  return {
    names: [...functions.keys()],
    standIns,
    secrets,
    coldStart: (name) => bundles.coldStart(deployed(name).handler),
    modules: (name) => bundles.modules(deployed(name).handler),
    async start(name, { without = [], settings = {} } = {}) {
      const { links, ...rest } = deployed(name);
      const { handler, isStreaming } = rest;
      const kept = Object.fromEntries(Object.entries(links).filter(([link]) => !without.includes(link)));
      const environment = { ...handlerEnvironment({ ...rest, links: kept }, "test"), ...settings };
      const process = await startHandler(bundles, handler, environment, { isStreaming });
      started.push(process);
      return process;
    },
    stopStarted,
    async stop() {
      await stopStarted();
      await bundles.remove();
      await standIns.stop();
    },
  };
}
