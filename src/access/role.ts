/** What a caller may do on a calendar; each role includes those before it. */
export type AccessRole = 'none' | 'freeBusyReader' | 'reader' | 'writer' | 'owner';
