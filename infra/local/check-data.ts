import { parseArgs } from "node:util";
import type { Forge } from "#core/forge";
import { checkRepository, checkTable, findRepositoryId, repairFindings } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { checkObjects } from "./check-objects.ts";
import { withForge } from "./opened-forge.ts";
import { readLauncherConfig } from "./settings.ts";
import { StartError } from "./start-error.ts";

/** The options of `npm run check-data`, for people. */
export const checkDataUsage = `npm run check-data                               looks at all data for what contradicts itself
npm run check-data -- --repository owner/name    looks at one repository
npm run check-data -- --repository owner/name --objects
                                                 reads all its git objects as well, by isomorphic-git (SHA-1)
npm run check-data -- --repair                   mends what can be derived from other data, and looks again

It works on DATA_DIR, whether the server runs or not; with AWS_ENDPOINT_URL_DYNAMODB and TABLE_NAME set on
that table, such as a deployed one. The exit code is 1 when something is found (with --repair: is left).
`;

interface Options {
  readonly repository?: string | undefined;
  readonly repair: boolean;
  readonly objects: boolean;
}

/** Looks for faults and prints each finding as a line; answers the exit code. Throws StartError. */
export async function runCheckData(
  words: readonly string[],
  environment: Record<string, string | undefined>,
  print: (line: string) => void,
): Promise<0 | 1> {
  const options = readOptions(words);
  const launcher = readLauncherConfig(environment);
  return withForge(environment, launcher, async (forge, { isServed }) => {
    const look = () => findAll(findingsOf(forge, options, isServed), print);
    const found = await look();
    if (found.length === 0 || !options.repair) {
      print(found.length === 0 ? "Nothing is wrong." : `${counted(found)}.${adviceOn(found)}`);
      return found.length === 0 ? 0 : 1;
    }
    print(`${counted(found)}. Mending, and looking again:`);
    const { outdated, failed } = await repairFindings(forge, found);
    for (const { finding, error } of failed) {
      print(`! ${finding.key} was not mended: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (outdated > 0) print(`${outdated} had changed meanwhile and stayed as they are.`);
    const left = await look();
    print(left.length === 0 ? "Nothing is wrong any more." : `${counted(left)} left.`);
    return left.length === 0 ? 0 : 1;
  });
}

const counted = ({ length }: readonly Finding[]): string => `${length} finding${length === 1 ? "" : "s"}`;
const adviceOn = (found: readonly Finding[]): string =>
  found.some((finding) => finding.repair !== undefined) ? " --repair mends those marked with a star." : "";

function readOptions(words: readonly string[]): Options {
  const options = {
    repository: { type: "string" },
    repair: { type: "boolean", default: false },
    objects: { type: "boolean", default: false },
  } as const;
  const given = parsed(() => parseArgs({ args: [...words], options, strict: true }).values);
  if (given.objects && given.repository === undefined) {
    throw new StartError("check-data: --objects reads one repository: name it with --repository owner/name.");
  }
  return given;
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const problem = (error as Error).message.split(/\.(\s|$)/)[0];
    throw new StartError(`check-data: ${problem} (npm run check-data -- --help).`);
  }
}

async function findAll(findings: AsyncIterable<Finding>, print: (line: string) => void): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of findings) {
    found.push(finding);
    const mark = finding.repair === undefined ? " " : "*";
    print(`${mark} ${finding.invariant}  ${finding.key}: ${finding.problem}. ${finding.remedy}.`);
  }
  return found;
}

async function* findingsOf(
  forge: Forge,
  { repository, objects }: Options,
  isServed: boolean,
): AsyncIterable<Finding> {
  if (repository === undefined) return yield* checkTable(forge, { isServed });
  const id = await findRepositoryId(forge, repository);
  if (id === undefined) throw new StartError(`check-data: there is no repository ${repository}.`);
  yield* await checkRepository(forge, id);
  if (objects) yield* await checkObjects(forge, id);
}
