/** What one check of the doctor found, as machines get it. */
export interface Found {
  readonly name: string;
  readonly status: string;
  readonly text: string;
  readonly remedy?: string;
}
