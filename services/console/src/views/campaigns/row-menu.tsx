import { Link } from '@tanstack/react-router';
import type { ListedCampaign } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Menu, menuItem } from '../../parts/overlays/menu.tsx';

/** Menu of a campaign's pages and actions. The row itself links to the first page. */
export function RowMenu({ campaign: { id, name, standing, run } }: { campaign: ListedCampaign }) {
  const mayWrite = useRefusal('manager') === undefined;
  const params = { campaignId: id };
  return (
    <Menu
      target={(target) => (
        <button type="button" {...target} className="btn ghost icon s relative" aria-label={`More about ${name}`}>
          <Icon name="more" />
        </button>
      )}
    >
      <Link {...menuItem} to="/campaigns/$campaignId" params={params}>
        Open the campaign
      </Link>
      {run && <RunItems runId={run.runId} />}
      {mayWrite && (
        <>
          <hr />
          {standing === 'draft' && (
            <Link {...menuItem} to="/campaigns/$campaignId/edit" params={params}>
              Edit
            </Link>
          )}
          <Link {...menuItem} to="/campaigns/new" search={{ copy: id }}>
            Duplicate
          </Link>
        </>
      )}
    </Menu>
  );
}

function RunItems({ runId }: { runId: string }) {
  const params = { runId };
  return (
    <>
      <Link {...menuItem} to="/runs/$runId" params={params}>
        Last run
      </Link>
      <Link {...menuItem} to="/runs/$runId/report" params={params}>
        Report of the last run
      </Link>
      <Link {...menuItem} to="/runs/$runId/failures" params={params}>
        Failures of the last run
      </Link>
    </>
  );
}
