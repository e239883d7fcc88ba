// What a step of a job does with GitHub's toolkit, told by its arguments: the module, the act, and what that takes.
// The environment is what a runner gives to actions. Prints JSON.
import { pathToFileURL } from "node:url";

const [module = "", act = "", name = "", ...more] = process.argv.slice(2);
const { DefaultArtifactClient } = await import(pathToFileURL(module).href);
const client = new DefaultArtifactClient();
const acts = {
  upload: ([folder = "", ...files]) =>
    client.uploadArtifact(name, files, folder, { retentionDays: 3, compressionLevel: 0 }),
  download: async ([path]) => {
    const { artifact } = await client.getArtifact(name);
    return { ...artifact, ...(await client.downloadArtifact(artifact.id, { path })) };
  },
  list: () => client.listArtifacts(),
  delete: () => client.deleteArtifact(name),
};
// The toolkit writes commands for the runner to stdout.
console.log(`\nRESULT ${JSON.stringify(await acts[act](more).catch((error) => ({ error: error.message })))}`);
