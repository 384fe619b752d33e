/** What a secret's members hold until a person fills them in. */
export const PLACEHOLDER = 'replace-me';
