import { randomBytes } from "node:crypto";
import { loadavg } from "node:os";
import { countedBy } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import { createToken } from "#core/token/token";
import { createUser } from "#core/user/create";
import { createPackagesApp } from "#functions/packages/app";
import { npmDocument } from "../packages/registry.ts";
import { makeForge } from "../support/forge.ts";
import { onItsOwn } from "./apart.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { largeFileRows } from "./git/large-file.ts";

const rounds = 40;

/** What one call of a registry asks for and takes, and 100 MB of a file beside a bare server of files. */
export async function packageFigures(context: BenchContext): Promise<Figures> {
  const load = loadavg()[0]?.toFixed(1);
  const large = await largeFileRows(context, async () => {
    const path = "/api/packages/root/generic/large/1/file.bin";
    return { put: path, get: path };
  });
  const rows = [...(await callRows(context)), ...large];
  return {
    title: `Packages (a call: mean of ${rounds}, CPU of the process alone; load of the machine ${load})`,
    rows: [["what", "CPU ms", "table requests", "units read / written", "S3 reads / writes"], ...rows],
  };
}

async function callRows(context: BenchContext): Promise<string[][]> {
  const { forge, stop } = await makeForge(onItsOwn(context));
  try {
    const user = await createUser(forge, {
      name: "ada",
      email: "ada@example.com",
      password: "correct-horse-9",
    });
    const { text: token } = await createToken(forge, user, { name: "bench", scopes: ["all"] });
    const bytes = randomBytes(50_000);
    const authorization = { authorization: `Bearer ${token}` };
    const calls: Readonly<Record<string, (round: number) => [string, RequestInit]>> = {
      "npm publish, 50 KB": (round) => [
        "/ada/npm/thing",
        {
          method: "PUT",
          body: JSON.stringify(
            npmDocument("thing", `1.0.${round}`, { bytes: Buffer.concat([bytes, Buffer.of(round)]) }),
          ),
        },
      ],
      "npm document, 40 versions": () => ["/ada/npm/thing", {}],
      "npm tarball": (round) => [`/ada/npm/thing/-/1.0.${round}/thing-1.0.${round}.tgz`, {}],
      "generic PUT, 50 KB": (round) => [
        `/ada/generic/tool/${round}/a.bin`,
        { method: "PUT", body: Buffer.concat([bytes, Buffer.from(String(round))]) },
      ],
      "generic GET": (round) => [`/ada/generic/tool/${round}/a.bin`, {}],
    };
    const rows: string[][] = [];
    for (const [name, make] of Object.entries(calls)) {
      const usage = noUsage();
      const app = createPackagesApp(countedBy(forge, countInto(usage)));
      const before = process.cpuUsage();
      for (let round = 0; round < rounds; round += 1) {
        const [path, init] = make(round);
        const response = await app.request(
          `/api/packages${path}`,
          { ...init, headers: authorization },
          { clientAddress: "192.0.2.1" },
        );
        await response.arrayBuffer();
        if (response.status >= 300) throw new Error(`${name}: ${response.status}`);
      }
      const { user: spent, system } = process.cpuUsage(before);
      const mean = (sum: number) => (sum / rounds).toFixed(1);
      rows.push([
        name,
        mean((spent + system) / 1000),
        mean(usage.tableRequests),
        `${mean(usage.tableReadUnits)} / ${mean(usage.tableWriteUnits)}`,
        `${mean(usage.blobReads)} / ${mean(usage.blobWrites)}`,
      ]);
    }
    return rows;
  } finally {
    await stop();
  }
}
