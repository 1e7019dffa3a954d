import type { Pool } from 'pg';
import { maxReceipts } from '../../../../shared/contracts/endpoints/receipts.ts';
import type { MailReceipt, ReportQueue } from '../reports.port.ts';

interface Group {
  list: string | null;
  note: string | null;
  ids: string[];
  users: string[];
  receipts: MailReceipt[];
}

/** Limit per request. It is the same for receipts and for users to suppress. */
const maxInGroup = maxReceipts;

export function createReportQueue(pool: Pool): ReportQueue {
  return {
    add: async (reports) => {
      const rows = reports.map((report) =>
        report.kind === 'receipt'
          ? { list: null, note: null, user_id: report.receipt.user, receipt: report.receipt }
          : { list: report.list, note: report.note, user_id: report.user, receipt: null },
      );
      await pool.query(
        `insert into connectors.mail_reports (list, note, user_id, receipt)
         select list, note, user_id, receipt
         from jsonb_to_recordset($1::jsonb) r (list text, note text, user_id text, receipt jsonb)`,
        [JSON.stringify(rows)],
      );
    },
    groups: async () => {
      const { rows } = await pool.query<Group>(
        `select list, note, array_agg(id) as ids, array_agg(user_id) as users, jsonb_agg(receipt) as receipts
         from (
           select *, row_number() over (partition by list, note order by id) as place from connectors.mail_reports
         ) r where place <= $1 group by list, note`,
        [maxInGroup],
      );
      return rows.map(({ list, note, ids, users, receipts }) => ({
        group:
          list === null
            ? { kind: 'receipt', receipts }
            : { kind: 'suppression', list, note: note ?? '', users: [...new Set(users)] },
        done: async () => {
          await pool.query('delete from connectors.mail_reports where id = any($1::int8[])', [ids]);
        },
      }));
    },
  };
}
