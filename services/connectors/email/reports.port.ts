/** A receipt of a mail, in the form of `POST /v1/receipts`. */
export interface MailReceipt {
  run: string;
  step: number;
  country: string;
  user: string;
  status: 'delivered' | 'undelivered';
  code?: string;
  /** Time of the event, in ISO 8601. */
  at: string;
}

/** A report to Muster. `list` is the action type of the suppression list; `*` is the list for all action types. */
export type MailReport =
  { kind: 'receipt'; receipt: MailReceipt } | { kind: 'suppression'; list: string; user: string; note: string };

/** Reports that one request sends: receipts, or users for one list with the same note. */
export type ReportGroup =
  | { kind: 'receipt'; receipts: readonly MailReceipt[] }
  | { kind: 'suppression'; list: string; note: string; users: readonly string[] };

export interface TakenGroup {
  group: ReportGroup;
  /** Deletes the reports of the group. */
  done(): Promise<void>;
}

/**
 * Reports that Muster has not accepted yet. Reports are idempotent, so it does no harm if two processes send the same
 * report.
 */
export interface ReportQueue {
  add(reports: readonly MailReport[]): Promise<void>;
  /** Returns the oldest reports, grouped by kind, list and note. */
  groups(): Promise<TakenGroup[]>;
}

export interface MusterApiSettings {
  /** Base URL of Muster's API, including its base path if it has one. */
  url: URL;
  /** API key whose scope is the whole installation. */
  apiKey: string;
}

/** The part of Muster's API to which the connectors report. */
export interface MusterApi {
  /** Sends a group. Resolves with undefined if Muster has accepted it, otherwise with the cause as text for people. */
  send(group: ReportGroup): Promise<string | undefined>;
  close(): Promise<void>;
}
