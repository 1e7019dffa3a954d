import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { useNow } from '../../parts/browser/now.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import type { RegionVerb } from './region-dialog.tsx';
import { nodeName, type NodeLook, type RegionLook } from './region-look.ts';

interface RegionsPanelProps {
  regions: readonly RegionLook[];
  refusal: string | undefined;
  onAsk: (verb: RegionVerb, region: string) => void;
}

export function RegionsPanel({ regions, refusal, onAsk }: RegionsPanelProps) {
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
                Saw last jobs
              </th>
              <th scope="col" className="text-right wide">
                Up for
              </th>
            </tr>
          </thead>
          {regions.map((look) => (
            <tbody key={look.region.name}>
              <RegionRow look={look} hasSeveral={hasSeveral} refusal={refusal} onAsk={onAsk} />
              {look.nodes.map((node) => (
                <NodeRow key={node.node.owner} look={node} />
              ))}
              {look.nodes.length === 0 && (
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
  look: RegionLook;
  hasSeveral: boolean;
  refusal: string | undefined;
  onAsk: RegionsPanelProps['onAsk'];
}

function RegionRow({ look: { region }, hasSeveral, refusal, onAsk }: RegionRowProps) {
  const { name, active, epoch, changedAt, reason } = region;
  return (
    <tr className="bg-sunken">
      <th scope="rowgroup" colSpan={7}>
        <span className="row flex-wrap py-1">
          <b>{name}</b>
          <span className={active ? 'badge run' : 'badge'}>
            <Icon name={active ? 'running' : 'pending'} />
            {active ? 'active' : 'takes no part'}
          </span>
          <span className="t3 sm">
            epoch {formatCount(epoch)}, since <Time instant={changedAt} />
            {reason !== null && `: ${reason}`}
          </span>
          <span className="ml-auto row">
            {active && hasSeveral && (
              <Button small refusal={refusal} onClick={() => onAsk('switch', name)}>
                Make it the only one…
              </Button>
            )}
            {!active && (
              <>
                <Button small refusal={refusal} onClick={() => onAsk('switch', name)}>
                  Switch to it…
                </Button>
                <Button small refusal={refusal} onClick={() => onAsk('activate', name)}>
                  Let it take part…
                </Button>
              </>
            )}
          </span>
        </span>
      </th>
    </tr>
  );
}

function NodeRow({ look: { node, leads, due, oldestMs } }: { look: NodeLook }) {
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
