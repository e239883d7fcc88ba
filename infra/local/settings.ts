import { isIP } from "node:net";
import { z } from "zod";
import { settings as serviceSettings } from "#core/config";
import { readSetting, type Setting, SettingError } from "#core/config/setting";
import { httpUrl, integer } from "#core/config/shapes";

const text = z.string();
const flag = z.stringbool();
const port = z
  .string()
  .regex(/^\d+$/, "expected a port number from 0 to 65535")
  .transform(Number)
  .refine((value) => value <= 65_535, "expected a port number from 0 to 65535");

function local<T>(
  variable: string,
  shape: z.ZodType<T>,
  fallback: NoInfer<T>,
  about: string,
  isSecret = false,
): Setting<T> {
  return { variable, shape, fallback, about, isSecret };
}

function endpoint(service: string, example: string): Setting<string> {
  const about = `another ${service} than the embedded stand-in`;
  return local<string>(`AWS_ENDPOINT_URL_${service.toUpperCase()}`, httpUrl(example), "", about);
}

/** Settings of the one-machine mode alone. */
export const launcherSettings = {
  port: local("PORT", port, 3000, "where the API and git are served"),
  host: local<string>("HOST", text, "127.0.0.1", "address to listen on"),
  dataFolder: local<string>("DATA_DIR", text, ".data", "the folder that everything is kept in"),
  adminUser: local<string>("ADMIN_USER", text, "root", "name of the first administrator"),
  adminPassword: local<string>(
    "ADMIN_PASSWORD",
    text,
    "",
    "password of the first administrator; without it one is made up and printed once",
    true,
  ),
  adminEmail: local<string>("ADMIN_EMAIL", text, "", "e-mail address of the first administrator"),
  tlsCertificate: local<string>("TLS_CERT", text, "", "PEM file of the certificate chain: serves https"),
  tlsKey: local<string>("TLS_KEY", text, "", "PEM file of the certificate's key"),
  stallSeconds: local(
    "CLIENT_STALL_TIMEOUT",
    integer(10, 86_400),
    300,
    "seconds that a client may take nothing of an answer before it is disconnected",
  ),
  allowInsecure: local("ALLOW_INSECURE", flag, false, "serve plain http on addresses that are not loopback"),
  rootUrl: local<string>(
    "ROOT_URL",
    httpUrl("https://forge.example.org"),
    "",
    "what links and clone URLs start with; made of HOST and PORT when absent",
  ),
  dynamodbEndpoint: endpoint("DynamoDB", "http://127.0.0.1:8000"),
  s3Endpoint: endpoint("S3", "http://127.0.0.1:9000"),
  sqsEndpoint: endpoint("SQS", "http://127.0.0.1:9324"),
} as const;

/** The launcher's settings, read and checked against each other. */
export interface LauncherConfig {
  readonly port: number;
  readonly host: string;
  readonly dataFolder: string;
  readonly adminUser: string;
  readonly adminPassword: string;
  readonly adminEmail: string;
  readonly tlsCertificate: string;
  readonly tlsKey: string;
  readonly stallSeconds: number;
  /** Empty when it follows from the listening address: see `rootUrlOf`. */
  readonly rootUrl: string;
  /** Empty: the embedded stand-in. */
  readonly dynamodbEndpoint: string;
  readonly s3Endpoint: string;
  readonly sqsEndpoint: string;
}

type Environment = Record<string, string | undefined>;

/** Reads the launcher's settings; throws SettingError naming the one that is wrong. */
export function readLauncherConfig(environment: Environment): LauncherConfig {
  const read = <T>(one: Setting<T>) => readSetting(one, environment);
  const host = read(launcherSettings.host);
  const tlsCertificate = read(launcherSettings.tlsCertificate);
  const tlsKey = read(launcherSettings.tlsKey);
  if ((tlsCertificate === "") !== (tlsKey === "")) {
    throw new SettingError(
      tlsKey === "" ? "TLS_KEY" : "TLS_CERT",
      "TLS_CERT and TLS_KEY must be set together",
    );
  }
  const rootUrl = read(launcherSettings.rootUrl);
  const isPlain = rootUrl === "" ? tlsCertificate === "" : rootUrl.startsWith("http://");
  if (!isLoopback(host) && isPlain && !read(launcherSettings.allowInsecure)) {
    const advice =
      "set TLS_CERT and TLS_KEY, or ROOT_URL to the https address of the proxy in front, or ALLOW_INSECURE=true";
    throw new SettingError(
      "HOST",
      `${host} would serve passwords over plain http to other machines: ${advice}`,
    );
  }
  if (read(launcherSettings.sqsEndpoint) !== "") requireQueues(environment);
  return {
    port: read(launcherSettings.port),
    host,
    dataFolder: read(launcherSettings.dataFolder),
    adminUser: read(launcherSettings.adminUser),
    adminPassword: read(launcherSettings.adminPassword),
    adminEmail: read(launcherSettings.adminEmail),
    tlsCertificate,
    tlsKey,
    stallSeconds: read(launcherSettings.stallSeconds),
    rootUrl,
    dynamodbEndpoint: read(launcherSettings.dynamodbEndpoint),
    s3Endpoint: read(launcherSettings.s3Endpoint),
    sqsEndpoint: read(launcherSettings.sqsEndpoint),
  };
}

/** Queues of another SQS can't be guessed. */
function requireQueues(environment: Environment): void {
  const { webhooksQueueUrl, mirrorsQueueUrl, repositoryEventsQueueUrl } = serviceSettings;
  for (const queue of [webhooksQueueUrl, mirrorsQueueUrl, repositoryEventsQueueUrl]) {
    if (readSetting(queue, environment) !== "") continue;
    const problem =
      "AWS_ENDPOINT_URL_SQS needs the address of each queue, such as http://127.0.0.1:9324/000000000000/webhooks";
    throw new SettingError(queue.variable, problem);
  }
}

/** The beginning of links: as given, or made of the listening address. */
export function rootUrlOf({ rootUrl, host, tlsCertificate }: LauncherConfig, port: number): string {
  if (rootUrl !== "") return rootUrl;
  const scheme = tlsCertificate === "" ? "http" : "https";
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : isIP(host) === 6 ? `[${host}]` : host;
  return `${scheme}://${name}:${port}`;
}

/** Whether only this machine reaches the address. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\./.test(host);

/** The largest width of a column of the settings. */
const widest = 40;

/** One row per setting: the output of `npm run config`. Secrets are shown as set or not set. */
export function describeSettings(environment: Environment): string {
  const all = new Map<string, Setting<unknown>>();
  for (const one of [...Object.values(launcherSettings), ...Object.values(serviceSettings)]) {
    if (!all.has(one.variable)) all.set(one.variable, one as Setting<unknown>);
  }
  const shown = (value: unknown) => (Array.isArray(value) ? value.join(",") : String(value));
  const rows = [...all.values()].map((one) => {
    const isSet = (environment[one.variable] ?? "") !== "";
    const value = shown(readSetting(one, environment));
    return [
      one.variable,
      one.isSecret ? (isSet ? "(set)" : "(not set)") : value,
      isSet ? "environment" : "default",
      one.isSecret ? "" : shown(one.fallback),
      one.about,
    ];
  });
  const head = ["SETTING", "VALUE", "FROM", "DEFAULT", "MEANING"];
  // A value as long as a list of file types widens only its own row.
  const widths = head.map((_title, column) =>
    Math.max(
      ...[head, ...rows].map((row) => (row[column] ?? "").length).filter((length) => length <= widest),
    ),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
