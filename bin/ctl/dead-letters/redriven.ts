/** What became of one thing that was set aside and tried again. */
export interface Redriven {
  readonly key: string;
  /** `sent` again; `known` or `superseded`: the SIEM has it, or what came after, and it is deleted; `kept` where it was. */
  readonly outcome: 'sent' | 'known' | 'superseded' | 'kept';
  readonly reason?: string;
  /** So many events were sent. */
  readonly events?: number;
}
