/** 32 bytes in base64 that encrypt what must be readable again. Losing it loses those values. */
export const secretKey = new sst.Secret("SecretKey");

/** Proves to the functions that a request came through the router, so that the headers it adds may be believed. */
export const originSecret = new sst.Secret("OriginSecret");
