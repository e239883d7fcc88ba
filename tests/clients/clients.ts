import { join } from "node:path";
import { playArtifacts } from "./artifact-story.ts";
import { playFj } from "./fj-story.ts";
import { playFlux } from "./flux-story.ts";
import { playForgejoApi } from "./forgejo-api-story.ts";
import { playGitCredential } from "./git-credential-story.ts";
import { playGoSdk } from "./go-sdk-story.ts";
import {
  buildCrateTests,
  buildGo,
  buildGoProgram,
  buildGoTests,
  installFromCrates,
  installFromDebian,
  installFromNpm,
  installFromPyPi,
} from "./install.ts";
import { playLoginProgram } from "./login-story.ts";
import { playOAuth2Proxy } from "./oauth2-proxy-story.ts";
import { playPython } from "./python-story.ts";
import { playRenovate } from "./renovate-story.ts";
import { playRunner } from "./runner-story.ts";
import { playSchemathesis } from "./schemathesis-story.ts";
import { playSemanticRelease } from "./semantic-release-story.ts";
import { ofForgejo, ofGitea } from "./types-differences.ts";
import { type GeneratedClient, moduleBeside, playTypes } from "./types-story.ts";

interface Client {
  readonly title: string;
  /** Throws at the first step that doesn't hold. */
  play(project: string): Promise<void>;
}

const renovate = (platform: "gitea" | "forgejo", version: string, node?: string): Client => ({
  title: `Renovate ${version}, platform ${platform}`,
  async play(project) {
    const program = await installFromNpm([`renovate@${version}`], "renovate/dist/renovate.js");
    await playRenovate(project, { platform, command: [await nodeOf(node), program] });
  },
});

const semanticRelease = (version: string, plugin: string): Client => ({
  title: `semantic-release ${version} with @saithodev/semantic-release-gitea ${plugin}`,
  async play(project) {
    const packages = [`semantic-release@${version}`, `@saithodev/semantic-release-gitea@${plugin}`];
    await playSemanticRelease(
      project,
      await installFromNpm(packages, "semantic-release/bin/semantic-release.js"),
    );
  },
});

const toolkitVersion = "2.3.2";
const toolkitModule = "@actions/artifact/lib/artifact.js";

const artifactToolkit = (): Client => ({
  title: `@actions/artifact ${toolkitVersion}, of which actions/upload-artifact@v4 is made`,
  async play(project) {
    const module = await installFromNpm([`@actions/artifact@${toolkitVersion}`], toolkitModule);
    await playArtifacts(project, module);
  },
});

const runner = (): Client => ({
  title: "a runner of the family's protocol module, with act as its executor, in both encodings",
  async play(project) {
    const module = await installFromNpm([`@actions/artifact@${toolkitVersion}`], toolkitModule);
    await playRunner(project, await buildGo(join(project, "tests", "clients", "runner")), module);
  },
});

const goSdk = (version: string): Client => ({
  title: `the Go SDK's own suite, ${version}`,
  async play(project) {
    await playGoSdk(project, await buildGoTests({ module: `code.gitea.io/sdk/gitea@v${version}` }));
  },
});

const flux = (version: string): Client => ({
  title: `Flux's go-git-providers ${version}: its own suite for Gitea`,
  async play(project) {
    const module = `github.com/fluxcd/go-git-providers@v${version}`;
    await playFlux(project, await buildGoTests({ module, package: "gitea", tags: "e2e" }));
  },
});

const forgejoApi = (version: string): Client => ({
  title: `the own suite of forgejo-api ${version} (Rust)`,
  async play(project) {
    await playForgejoApi(project, await buildCrateTests("forgejo-api", version));
  },
});

const fj = (version: string): Client => ({
  title: `fj: forgejo-cli ${version} (Rust)`,
  async play(project) {
    await playFj(project, await installFromCrates(`forgejo-cli@${version}`, "fj"));
  },
});

const oauth2Proxy = (version: string): Client => ({
  title: `oauth2-proxy ${version}`,
  async play(project) {
    const module = `github.com/oauth2-proxy/oauth2-proxy/v7@v${version}`;
    await playOAuth2Proxy(project, await buildGoProgram({ module }));
  },
});

const gitCredentialOauth = (): Client => ({
  title: "git with git-credential-oauth, Debian's",
  async play(project) {
    const program = await installFromDebian("git-credential-oauth", "usr/bin/git-credential-oauth");
    await playGitCredential(project, program);
  },
});

const loginsGo = (): Client => ({
  title: "logins by x/oauth2, go-oidc and goth (Go)",
  async play(project) {
    await playLoginProgram(project, [await buildGo(join(project, "tests", "clients", "logins"))]);
  },
});

const loginsNode = (packages: readonly string[]): Client => ({
  title: `logins by ${packages.join(", ").replaceAll("@", " ")} (Node)`,
  async play(project) {
    const modules = await installFromNpm(packages, "");
    await playLoginProgram(project, [
      ...[process.execPath, join(project, "tests", "clients", "login-program.mjs"), modules],
    ]);
  },
});

const loginsPython = (requirements: readonly string[]): Client => ({
  title: `logins by ${requirements.join(", ").replaceAll("==", " ")} (Python)`,
  async play(project) {
    const python = await installFromPyPi(requirements, "python");
    await playLoginProgram(project, [python, join(project, "tests", "clients", "python", "play_logins.py")]);
  },
});

const generatorVersion = "13.13.0";

const generated = (
  name: string,
  version: string,
  differences: Pick<GeneratedClient, "elsewhere" | "different">,
): Client => ({
  title: `a client that swagger-typescript-api ${generatorVersion} makes of our document, in place of ${name} ${version}`,
  async play(project) {
    const packages = [`swagger-typescript-api@${generatorVersion}`, `${name}@${version}`];
    const generator = await installFromNpm(packages, "swagger-typescript-api/dist/index.mjs");
    await playTypes(project, generator, { name, module: moduleBeside(generator, name), ...differences });
  },
});

const schemathesis = (version: string, seconds: number): Client => ({
  title: `Schemathesis ${version}, ${seconds} seconds on our document`,
  async play(project) {
    const program = await installFromPyPi([`schemathesis==${version}`], "schemathesis");
    await playSchemathesis(project, program, seconds);
  },
});

const python = (requirement: string, story: string): Client => ({
  title: `${requirement.replace("==", " ")} (Python)`,
  async play(project) {
    await playPython(project, await installFromPyPi([requirement], "python"), story);
  },
});

/** The clients that `npm run test:clients` plays with. The newer Renovate needs a later Node than ours. */
export const clients: Readonly<Record<string, Client>> = {
  "renovate-gitea": renovate("gitea", "39.264.1"),
  "renovate-forgejo": renovate("forgejo", "44.121.2", "24.21.0"),
  schemathesis: schemathesis("4.32.5", 120),
  "py-gitea": python("py-gitea==0.2.10", "play_py_gitea.py"),
  pyforgejo: python("pyforgejo==2.0.7", "play_pyforgejo.py"),
  "types-forgejo": generated("forgejo-js", "11.0.0", ofForgejo),
  "types-gitea": generated("gitea-js", "1.23.0", ofGitea),
  "semantic-release": semanticRelease("24.2.9", "2.1.0"),
  artifacts: artifactToolkit(),
  runner: runner(),
  "go-sdk": goSdk("0.22.1"),
  flux: flux("0.27.0"),
  "forgejo-api": forgejoApi("0.12.0"),
  fj: fj("0.7.0"),
  "oauth2-proxy": oauth2Proxy("7.15.6"),
  "git-credential-oauth": gitCredentialOauth(),
  "logins-go": loginsGo(),
  "logins-node": loginsNode([
    ...["openid-client@6.8.9", "simple-oauth2@5.1.0", "arctic@3.7.0"],
    ...["passport-oauth2@1.8.0", "passport-openidconnect@0.1.2"],
  ]),
  "logins-python": loginsPython([
    ...["authlib==1.9.6", "requests==2.34.2", "requests-oauthlib==2.0.0", "social-auth-core==7.0.0"],
  ]),
};

/** Plays a client's story and prints its steps; answers whether all of them held. */
export async function playClient(project: string, name: string): Promise<boolean> {
  const client = clients[name];
  if (client === undefined) throw new Error(`no client ${name}`);
  console.log(`\n${client.title}\n`);
  try {
    await client.play(project);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

/** The program of that version of Node, or of this one. */
async function nodeOf(version: string | undefined): Promise<string> {
  if (version === undefined) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return installFromNpm([`${name}@${version}`], `${name}/bin/node`);
}
