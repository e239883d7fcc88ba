/** What to do about a refusal, by its status: shown by the API page, to which the `url` of each refusal leads. */
export const remedies: Readonly<Record<number, string>> = {
  400: "Send the request again in a form that can be read: the message says what is malformed or contradicts itself.",
  401: "Send a token (Authorization: token …) or name and password that hold, with the code of the second factor where there is one.",
  403: "Ask somebody with more rights, or take a token with the scope that the message names.",
  404: "Check the names in the path, and that you may see what they name: what is hidden is answered as though absent.",
  405: "Do what the message names first, or take one of the methods that the Allow header lists.",
  408: "Send the request again, over a faster connection or in smaller parts.",
  409: "Read the thing again and decide anew: another one has the name, or somebody changed it at the same time.",
  412: "Bring about what the message names, then send the request again.",
  413: "Send less, or take the way that the message names, such as git.",
  415: "Send the header Content-Type that the message names, and the body uncompressed.",
  422: "Correct the field that the message names in brackets, as [Title]: Required.",
  423: "Unarchive the repository first.",
  429: "Wait as many seconds as Retry-After says, and send fewer requests at a time.",
  500: "Try again, and tell the operator the request's id, which the message names: the log has the rest.",
  503: "Wait as many seconds as Retry-After says, and try again: nothing was changed, unless the message says otherwise.",
};
