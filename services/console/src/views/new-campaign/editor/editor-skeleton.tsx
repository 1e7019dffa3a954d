import { SkeletonBar, usePatience } from '../../../parts/standing/skeleton.tsx';
import styles from '../new-campaign.module.css';

/** The page before it is known what a chain may be made of. */
export function EditorSkeleton() {
  const shown = usePatience();
  if (!shown) return null;
  return (
    <div className={styles['layout']} aria-hidden="true">
      <div className={styles['skeleton']}>
        {[84, 60, 68, 60, 72].map((width, index) => (
          <SkeletonBar key={index} width={width} />
        ))}
      </div>
      <div className={styles['form']}>
        {[280, 300, 160, 120].map((height) => (
          <div key={height} className="panel" style={{ height }} />
        ))}
      </div>
      <div className="panel" style={{ height: 320 }} />
    </div>
  );
}
