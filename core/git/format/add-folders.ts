/** Adds the folders that hold a path. */
export function addFolders(folders: Set<string>, path: string): void {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const folder = path.slice(0, at);
    if (folders.has(folder)) return;
    folders.add(folder);
  }
}
