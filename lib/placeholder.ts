/** Value of a secret's members until a person sets them. */
export const PLACEHOLDER = 'replace-me';
