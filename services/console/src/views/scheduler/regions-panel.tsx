import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { useNow } from '../../parts/browser/now.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import type { RegionVerb } from './region-dialog.tsx';
import { nodeName, type NodeSummary, type RegionSummary } from './region-summary.ts';

interface RegionsPanelProps {
  regions: readonly RegionSummary[];
  refusal: string | undefined;
  onOpen: (verb: RegionVerb, region: string) => void;
}

export function RegionsPanel({ regions, refusal, onOpen }: RegionsPanelProps) {
  const nodes = regions.reduce((sum, region) => sum + region.nodes.length, 0);
  const hasSeveral = regions.filter(({ region }) => region.active).length > 1;
  return (
    <Panel title="Regions and nodes" note={`${countOf(nodes, 'node')} alive`}>
      <div className="scroll">
        <table className="min-w-150">
          <caption className="sr-only">Regions and their nodes</caption>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col" className="wide">
                Leads
              </th>
              <th scope="col" className="text-right">
                Partitions
              </th>
              <th scope="col" className="text-right">
                Due
              </th>
              <th scope="col" className="text-right wide">
                Oldest
              </th>
              <th scope="col" className="text-right wide">
                Latest jobs
              </th>
              <th scope="col" className="text-right wide">
                Up for
              </th>
            </tr>
          </thead>
          {regions.map((summary) => (
            <tbody key={summary.region.name}>
              <RegionRow summary={summary} hasSeveral={hasSeveral} refusal={refusal} onOpen={onOpen} />
              {summary.nodes.map((node) => (
                <NodeRow key={node.node.owner} summary={node} />
              ))}
              {summary.nodes.length === 0 && (
                <tr>
                  <td colSpan={7} className="t3">
                    No node is alive here.
                  </td>
                </tr>
              )}
            </tbody>
          ))}
        </table>
      </div>
    </Panel>
  );
}

interface RegionRowProps {
  summary: RegionSummary;
  hasSeveral: boolean;
  refusal: string | undefined;
  onOpen: RegionsPanelProps['onOpen'];
}

function RegionRow({ summary: { region }, hasSeveral, refusal, onOpen }: RegionRowProps) {
  const { name, active, epoch, changedAt, reason } = region;
  return (
    <tr className="bg-sunken">
      <th scope="rowgroup" colSpan={7}>
        <span className="row flex-wrap py-1">
          <b>{name}</b>
          <span className={active ? 'badge run' : 'badge'}>
            <Icon name={active ? 'running' : 'pending'} />
            {active ? 'active' : 'inactive'}
          </span>
          <span className="t3 sm">
            epoch {formatCount(epoch)}, since <Time instant={changedAt} />
            {reason !== null && `: ${reason}`}
          </span>
          <span className="ml-auto row">
            {active && hasSeveral && (
              <Button small refusal={refusal} onClick={() => onOpen('switch', name)}>
                Make it the only region…
              </Button>
            )}
            {!active && (
              <>
                <Button small refusal={refusal} onClick={() => onOpen('switch', name)}>
                  Switch to it…
                </Button>
                <Button small refusal={refusal} onClick={() => onOpen('activate', name)}>
                  Activate…
                </Button>
              </>
            )}
          </span>
        </span>
      </th>
    </tr>
  );
}

function NodeRow({ summary: { node, leads, due, oldestMs } }: { summary: NodeSummary }) {
  const now = useNow();
  const isScheduler = node.kind === 'scheduler';
  const { lagMs, handledPerSecond } = node.figures;
  return (
    <tr>
      <td>
        <span className="row">
          <Icon name="live" size={12} className="c-ok" />
          <span className="font-medium truncate max-w-52" title={node.owner}>
            {nodeName(node.owner)}
          </span>
          <span className="t3 sm">{node.kind}</span>
        </span>
      </td>
      <td className="wide">{leads.length === 0 ? <span className="t3">–</span> : leads.join(', ')}</td>
      <td className="text-right">{isScheduler ? formatCount(node.partitions) : <span className="t3">–</span>}</td>
      <td className={due === 0 ? 'text-right z' : 'text-right'}>{isScheduler ? formatCount(due) : '–'}</td>
      <td className="text-right wide whitespace-nowrap">
        {due === 0 ? <span className="t3">–</span> : formatDuration(oldestMs)}
      </td>
      <td className="text-right wide whitespace-nowrap">
        {isScheduler
          ? lagMs !== undefined && `${formatCount(Math.round(lagMs))} ms late`
          : handledPerSecond !== undefined && `${formatCount(Math.round(handledPerSecond))}/s called`}
      </td>
      <td className="text-right t2 wide whitespace-nowrap">{formatDuration(now - Date.parse(node.startedAt))}</td>
    </tr>
  );
}
