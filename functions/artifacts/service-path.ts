/** Where the service of artifacts lies, version 4: clients know it by this path below the server's address. */
export const servicePath = "/twirp/github.actions.results.api.v1.ArtifactService";
