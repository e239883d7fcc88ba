/** The rows of one answer have no more JSON than this (D-BIGBODY). */
export const mostListBytes = 4 * 2 ** 20;

/** A row is there as a value, as JSON, in the text of all rows, and in the bytes of it. */
export const rowFactor = 4;

/** The memory that a list takes whose rows have about so many bytes of JSON. */
export const listMemory = (rowBytes: number): number => rowFactor * Math.min(rowBytes, mostListBytes);
