/** What the function and the configuration ask of the same values: the one must not take what the other refuses. */

/** Members with a meaning of their own, which cannot name a threat's asset. */
export const RESERVED_MEMBERS = ['id', 'stream_position', 'updated_at', 'deleted', 'deleted_at', 'blocked_at'] as const;

/** A member's name with no blank around it: the function's settings are trimmed. */
export const MEMBER_NAME = /^\S([\s\S]*\S)?$/u;

/** Path of a list below the base URL, without query or fragment. */
export const LIST_PATH = /^\/[^?#\s]*$/;

/** Member of a threat that names its asset. */
export const THREAT_ASSET_FIELD = 'asset_id';

/** Seconds. */
export const LEASE_SECONDS = { min: 1, max: 900, default: 60 } as const;
