/** Answers of AWS with which calls fail. */
export const DENIED = { refuse: { status: 403, code: 'AccessDeniedException', message: 'No' } };
export const GONE = { refuse: { status: 400, code: 'ResourceNotFoundException', message: 'Not found' } };

/** Fails calls of one action. */
export function only(action: string, fault: typeof DENIED) {
  return (asked: { readonly action: string }) => (asked.action === action ? fault : {});
}
