// A component that draws again only when one of its props is another value: what stays the same costs nothing.
import type { ComponentChildren, ComponentType } from 'preact'
import { Component } from 'preact'

export const kept = <P extends object>(View: (props: P) => ComponentChildren): ComponentType<P> =>
  class Kept extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !isSame(this.props, next)
    }
    override render(): ComponentChildren {
      return <View {...(this.props as P)} />
    }
  }

const isSame = (a: object, b: object): boolean => {
  const [before, after] = [Object.entries(a), new Map(Object.entries(b))]
  return before.length === after.size && before.every(([key, value]) => Object.is(value, after.get(key)))
}
