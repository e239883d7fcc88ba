import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../process/server-process.ts";
import { selfSigned } from "./receiver.ts";

/** OpenLDAP's server with a few people in it, over ldap:// (with StartTLS) and ldaps://. */
export interface Slapd {
  readonly url: string;
  readonly secureUrl: string;
  stop(): Promise<void>;
}

const program = "/usr/sbin/slapd";
export const suffix = "dc=example,dc=org";
export const service = { dn: `cn=service,${suffix}`, password: "service-secret" };

const entries = `dn: ${suffix}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,${suffix}
objectClass: organizationalUnit
ou: people

`;

/** One person of the directory. */
export interface Person {
  readonly uid: string;
  readonly password: string;
  readonly mail?: string;
  readonly employeeType?: string;
}

const entryOf = ({ uid, password, mail, employeeType }: Person): string =>
  [
    `dn: uid=${uid},ou=people,${suffix}`,
    ...["inetOrgPerson", "organizationalPerson", "person"].map((one) => `objectClass: ${one}`),
    ...[`uid: ${uid}`, `cn: ${uid}`, `sn: Surname`, `givenName: ${uid}`, `userPassword: ${password}`],
    ...(mail === undefined ? [] : [`mail: ${mail}`]),
    ...(employeeType === undefined ? [] : [`employeeType: ${employeeType}`]),
  ].join("\n");

/** Starts one with these people; needs the Debian package slapd. */
export async function startSlapd(people: readonly Person[]): Promise<Slapd> {
  if (!existsSync(program)) throw new Error("slapd is not installed: apt-get install slapd");
  const folder = await mkdtemp(join(tmpdir(), "coldforge-slapd-"));
  await mkdir(join(folder, "data"));
  await writeFile(join(folder, "cert.pem"), selfSigned.cert);
  await writeFile(join(folder, "key.pem"), selfSigned.key);
  await writeFile(join(folder, "slapd.conf"), configuration(folder));
  await writeFile(join(folder, "people.ldif"), entries + people.map(entryOf).join("\n\n"));
  const config = join(folder, "slapd.conf");
  await finished(
    spawn(program, ["-T", "add", "-f", config, "-l", join(folder, "people.ldif")], { stdio: "inherit" }),
  );
  const [port, securePort] = [await freePort(), await freePort()];
  const [url, secureUrl] = [`ldap://127.0.0.1:${port}`, `ldaps://127.0.0.1:${securePort}`];
  const server = spawn(program, ["-d", "0", "-f", config, "-h", `${url}/ ${secureUrl}/`], {
    stdio: "inherit",
  });
  await Promise.race([listening(port), finished(server)]);
  return {
    url,
    secureUrl,
    async stop() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

const configuration = (folder: string): string => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/slapd.pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
suffix "${suffix}"
rootdn "${service.dn}"
rootpw ${service.password}
directory ${folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by self read by anonymous auth by * none
`;

async function finished(child: ReturnType<typeof spawn>): Promise<void> {
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Error(`slapd ended with ${code}`);
}

/** Resolves once somebody listens there. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(socket.end() !== undefined));
      socket.once("error", () => resolve(false));
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
