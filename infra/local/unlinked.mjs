// Replaces SST's library in programs that run outside its functions: nothing is linked there.
export const Resource = {};
