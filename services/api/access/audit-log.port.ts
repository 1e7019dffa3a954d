import type { Page } from '../frame/page.port.ts';

/** Details hold what a person has to know to understand a change: never a secret, never a body as it came. */
export type AuditDetail = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  apiKey: string | null;
  method: string;
  /** As it is registered: `/v1/runs/:id/pause`. */
  route: string;
  /** The public id, or the name, of what was changed; null where it has neither. */
  subject: string | null;
  status: number;
  requestId: string;
  detail: AuditDetail;
}

export interface AuditRecord extends AuditEntry {
  auditId: string;
  at: Date;
  /** Null where the key is not known any more. */
  keyName: string | null;
}

export interface AuditFilter {
  subject?: string | undefined;
  apiKey?: string | undefined;
  method?: string | undefined;
  route?: string | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

/** Who changed what through the API, and how that ended. Entries are never changed. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /**
   * Newest first; `cursor` is the id of the last one of the page before.
   * @throws {InvalidCursorError} when it is no id
   */
  list(filter: AuditFilter, limit: number, cursor: string | null): Promise<Page<AuditRecord>>;
}
