import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ListedCampaign } from '../../api/generated/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Icon } from '../../parts/icon/icon.tsx';

/** Where a campaign is looked at, and what begins from it; the row itself leads to the first of these. */
export function RowMenu({ campaign: { id, name, standing, run } }: { campaign: ListedCampaign }) {
  const mayWrite = useRefusal('manager') === undefined;
  const ofCampaign = { campaignId: id };
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <button type="button" className="btn ghost icon s row-menu" aria-label={`More about ${name}`}>
          <Icon name="more" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item renderRoot={(props: object) => <Link {...props} to="/campaigns/$campaignId" params={ofCampaign} />}>
          Open the campaign
        </Menu.Item>
        {run && <RunItems runId={run.runId} />}
        {mayWrite && (
          <>
            <Menu.Divider />
            {standing === 'draft' && (
              <Menu.Item
                renderRoot={(props: object) => <Link {...props} to="/campaigns/$campaignId/edit" params={ofCampaign} />}
              >
                Edit
              </Menu.Item>
            )}
            <Menu.Item renderRoot={(props: object) => <Link {...props} to="/campaigns/new" search={{ copy: id }} />}>
              Duplicate
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function RunItems({ runId }: { runId: string }) {
  const params = { runId };
  return (
    <>
      <Menu.Item renderRoot={(props: object) => <Link {...props} to="/runs/$runId" params={params} />}>
        Its last run
      </Menu.Item>
      <Menu.Item renderRoot={(props: object) => <Link {...props} to="/runs/$runId/report" params={params} />}>
        Report of it
      </Menu.Item>
      <Menu.Item renderRoot={(props: object) => <Link {...props} to="/runs/$runId/failures" params={params} />}>
        Who failed in it
      </Menu.Item>
    </>
  );
}
