/** The parts of a payload that chat messages tell of: what functions/workers/payloads makes, as parsed JSON. */
export interface EventPayload {
  readonly action?: string;
  readonly sender: { readonly login: string; readonly avatar_url: string; readonly html_url: string };
  readonly repository: RepositoryPart | null;
  readonly organization?: { readonly login: string };
  /** The source of a fork. */
  readonly forkee?: RepositoryPart;
  readonly ref?: string;
  readonly ref_type?: string;
  readonly compare_url?: string;
  readonly commits?: readonly CommitPart[];
  readonly total_commits?: number;
  readonly issue?: IssuePart;
  readonly pull_request?: IssuePart & { readonly merged: boolean };
  readonly comment?: { readonly html_url: string; readonly body: string } | string;
  readonly review?: { readonly content: string } | null;
  readonly requested_reviewer?: { readonly login: string } | null;
  readonly release?: {
    readonly html_url: string;
    readonly tag_name: string;
    readonly name: string;
    readonly body: string;
  };
  readonly page?: string;
  readonly package?: {
    readonly type: string;
    readonly name: string;
    readonly version: string;
    readonly html_url: string;
  };
}

interface RepositoryPart {
  readonly full_name: string;
  readonly html_url: string;
}

interface CommitPart {
  readonly id: string;
  readonly message: string;
  readonly url: string;
  readonly author: { readonly name: string };
}

export interface IssuePart {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly html_url: string;
  readonly assignees: readonly { readonly login: string }[] | null;
  readonly milestone: { readonly title: string } | null;
}
