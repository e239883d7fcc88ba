import { spawn } from "node:child_process";

function environmentOf(folder, request) {
  const url = new URL(request.url ?? "/", "http://peer");
  const { headers } = request;
  return {
    PATH: process.env.PATH ?? "",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: "1",
    REMOTE_USER: "peer",
    REMOTE_ADDR: "127.0.0.1",
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? "GET",
    CONTENT_TYPE: headers["content-type"] ?? "",
    ...(headers["content-length"] === undefined ? {} : { CONTENT_LENGTH: headers["content-length"] }),
    ...(headers["content-encoding"] === undefined
      ? {}
      : { HTTP_CONTENT_ENCODING: headers["content-encoding"] }),
    ...(headers["git-protocol"] === undefined ? {} : { GIT_PROTOCOL: String(headers["git-protocol"]) }),
  };
}

/** Answers a request by `git http-backend`, from the bare repositories of a folder. */
export function serveByGit(folder, request, response) {
  const git = spawn("git", ["http-backend"], {
    env: environmentOf(folder, request),
    stdio: ["pipe", "pipe", "ignore"],
  });
  git.stdin.on("error", () => request.resume());
  request.pipe(git.stdin);
  let head = Buffer.alloc(0);
  const onHead = (chunk) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    git.stdout.off("data", onHead);
    const lines = head.subarray(0, end).toString().split("\r\n");
    const status = lines.find((line) => line.startsWith("Status:"))?.slice(8, 11) ?? "200";
    const headers = lines.filter((line) => !line.startsWith("Status:")).map((line) => line.split(": ", 2));
    response.writeHead(Number(status), Object.fromEntries(headers));
    response.write(head.subarray(end + 4));
    git.stdout.pipe(response);
  };
  git.stdout.on("data", onHead);
}
