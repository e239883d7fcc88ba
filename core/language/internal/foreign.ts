/** Files in a repository that others made, or that are no source: by path, as the family counts. */

/** Folders with code of others. */
const vendored =
  /(^|\/)(node_modules|bower_components|jspm_packages|vendors?|third[-_]?party|3rd[-_]?party|externs?|externals?|deps|dependencies|godeps|pods|carthage|dist|cache|\.git|\.yarn|\.venv|venv)\//i;
/** Scripts of build tools, and files packed for browsers. */
const vendoredFile =
  /(^|\/)(gradlew|mvnw|configure|config\.guess|config\.sub)(\.bat|\.cmd)?$|[.-]min\.(js|css)$/i;
const documentation =
  /^(docs?|man|examples|demos?)\/|(^|\/)(documentation|javadoc|groovydoc|samples?|inst\/doc)\//i;
const documentationFile =
  /(^|\/)(readme|changes|changelog|contributing|copying|install|licen[cs]e|news|authors)(\.[^/]*)?$/i;
const generated =
  /\.pb(\.gw)?\.(go|cc|h|js|ts)$|_pb2(_grpc)?\.pyi?$|\.(g|freezed)\.dart$|\.designer\.(cs|vb)$|(^|\/)(zz_generated[^/]*|bindata\.go)$|[._-]generated\.[a-z]+$|\.(map|lock)$|(^|\/)(package-lock\.json|go\.sum)$/i;

/** Whether a folder (its path ends in a slash) holds code of others. */
export const isVendoredFolder = (path: string): boolean => vendored.test(path);

/** The facts about a path that .gitattributes may override. */
export interface Foreignness {
  readonly isVendored: boolean;
  readonly isDocumentation: boolean;
  readonly isGenerated: boolean;
}

/** The facts that a file's path gives. Files whose name begins with a dot are settings, which nobody counts. */
export const foreignnessOf = (path: string): Foreignness => ({
  isVendored: vendored.test(path) || vendoredFile.test(path) || /(^|\/)\.[^/]*$/.test(path),
  isDocumentation: documentation.test(path) || documentationFile.test(path),
  isGenerated: generated.test(path),
});
