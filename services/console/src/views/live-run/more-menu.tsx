import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { RunProgress } from '../../api/generated/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';

interface MoreMenuProps {
  progress: Pick<RunProgress, 'runId' | 'campaignId' | 'endedAt'>;
  onExplain: () => void;
}

/** What is asked of a run now and then. */
export function MoreMenu({ progress: { runId, campaignId, endedAt }, onExplain }: MoreMenuProps) {
  const params = { runId };
  const mayWrite = useRefusal('manager') === undefined;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button icon="more" label="More" />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onExplain} rightSection={<kbd>E</kbd>}>
          Explain a user…
        </Menu.Item>
        <Menu.Item renderRoot={(props: object) => <Link {...props} to="/runs/$runId/failures" params={params} />}>
          Failed users
        </Menu.Item>
        {endedAt === null && (
          <Menu.Item renderRoot={(props: object) => <Link {...props} to="/runs/$runId/report" params={params} />}>
            Report so far
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          renderRoot={(props: object) => <Link {...props} to="/campaigns/$campaignId" params={{ campaignId }} />}
        >
          Open the campaign
        </Menu.Item>
        {mayWrite && (
          <Menu.Item
            renderRoot={(props: object) => <Link {...props} to="/campaigns/new" search={{ copy: campaignId }} />}
          >
            Run again…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
