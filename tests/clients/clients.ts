import { installFromNpm } from "./install.ts";
import type { Renovate } from "./renovate.ts";
import { playRenovate } from "./renovate-story.ts";

interface Client extends Pick<Renovate, "platform"> {
  readonly version: string;
  /** The version of Node that it needs, where that is a later one than ours. */
  readonly node?: string;
}

/** The clients that `npm run test:clients` plays with. */
export const clients: Readonly<Record<string, Client>> = {
  "renovate-gitea": { platform: "gitea", version: "39.264.1" },
  "renovate-forgejo": { platform: "forgejo", version: "44.121.2", node: "24.21.0" },
};

/** Plays a client's story and prints its steps; answers whether all of them held. */
export async function playClient(project: string, name: string): Promise<boolean> {
  const client = clients[name];
  if (client === undefined) throw new Error(`no client ${name}`);
  const command = await commandOf(client);
  console.log(`\nRenovate ${client.version}, platform ${client.platform}\n`);
  try {
    await playRenovate(project, { ...client, command });
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

/** Node of its own, where it can't run on this one, then the client's program. */
async function commandOf({ version, node }: Client): Promise<readonly string[]> {
  const program = await installFromNpm("renovate", version, "renovate/dist/renovate.js");
  if (node === undefined) return [process.execPath, program];
  const packageOfNode = `node-${process.platform}-${process.arch}`;
  return [await installFromNpm(packageOfNode, node, `${packageOfNode}/bin/node`), program];
}
