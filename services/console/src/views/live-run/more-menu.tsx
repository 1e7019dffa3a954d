import { Link } from '@tanstack/react-router';
import type { RunProgress } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Menu, MenuItem, menuItem } from '../../parts/overlays/menu.tsx';

interface MoreMenuProps {
  progress: Pick<RunProgress, 'runId' | 'campaignId' | 'endedAt'>;
  onExplain: () => void;
}

export function MoreMenu({ progress: { runId, campaignId, endedAt }, onExplain }: MoreMenuProps) {
  const params = { runId };
  const mayWrite = useRefusal('manager') === undefined;
  return (
    <Menu target={(target) => <Button {...target} icon="more" label="More" />}>
      <MenuItem onClick={onExplain}>
        Explain a user…
        <kbd>E</kbd>
      </MenuItem>
      <Link {...menuItem} to="/runs/$runId/failures" params={params}>
        Failed users
      </Link>
      {endedAt === null && (
        <Link {...menuItem} to="/runs/$runId/report" params={params}>
          Report so far
        </Link>
      )}
      <hr />
      <Link {...menuItem} to="/campaigns/$campaignId" params={{ campaignId }}>
        Open the campaign
      </Link>
      {mayWrite && (
        <Link {...menuItem} to="/campaigns/new" search={{ copy: campaignId }}>
          Run again…
        </Link>
      )}
    </Menu>
  );
}
