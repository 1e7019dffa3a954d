import { useQuery } from '@tanstack/react-query';
import { listRunUsersOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunReport } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Menu, menuItem } from '../../parts/overlays/menu.tsx';

/** Menu of files to download. The API creates the files, with the same columns and names as for its other users. */
export function DownloadMenu({ report }: { report: RunReport }) {
  const { runId, kind, steps, failuresKept, receiptsDeletedAt } = report;
  const hasHeldOut = kind !== 'dry-run' && steps.some(({ heldOut }) => heldOut > 0);
  const hasReceipts = steps.some(({ receipts }) => receipts !== undefined);
  const of = `v1/runs/${runId}`;
  return (
    <Menu
      target={(target) => (
        <Button {...target} icon="download">
          Download
          <Icon name="down" size={12} />
        </Button>
      )}
    >
      <File href={`${of}/report/table?format=csv`}>Report as CSV</File>
      <a {...menuItem} href={`${of}/report`} download={`${runId}-report.json`}>
        Report as JSON
      </a>
      {failuresKept && (
        <>
          <hr />
          <File href={`${of}/failures?format=csv`}>Failures as CSV</File>
          <File href={`${of}/failures?format=csv&for=excel`}>Failures as CSV for Excel</File>
          <File href={`${of}/failures?format=ndjson`}>Failures as NDJSON</File>
        </>
      )}
      <hr />
      <AllUsersFiles runId={runId} />
      {hasHeldOut && (
        <>
          <hr />
          <File href={`${of}/held-out?format=csv`}>Held-out users as CSV</File>
          <File href={`${of}/held-out?format=ndjson`}>Held-out users as NDJSON</File>
        </>
      )}
      {hasReceipts && (
        <>
          <hr />
          {receiptsDeletedAt === null ? (
            <File href={`${of}/receipts?format=csv`}>Receipts as CSV</File>
          ) : (
            <p className="menu-head">Receipts are no longer kept</p>
          )}
        </>
      )}
    </Menu>
  );
}

function File({ href, children }: { href: string; children: string }) {
  return (
    <a {...menuItem} href={href} download>
      {children}
    </a>
  );
}

/** Link to the outcomes of each user. Users are kept for a shorter time than the report, so the file may be gone. */
function AllUsersFiles({ runId }: { runId: string }) {
  const first = useQuery({ ...listRunUsersOptions({ path: { id: runId }, query: { limit: 1 } }), retry: false });
  if (first.error !== null && problemOf(first.error).code === 'users-not-kept') {
    return <p className="menu-head">Users are no longer kept</p>;
  }
  const href = `v1/runs/${runId}/users`;
  return (
    <>
      <File href={`${href}?format=csv`}>All users as CSV</File>
      <File href={`${href}?format=csv&for=excel`}>All users as CSV for Excel</File>
      <File href={`${href}?format=ndjson`}>All users as NDJSON</File>
    </>
  );
}
