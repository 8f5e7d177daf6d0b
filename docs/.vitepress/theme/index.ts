import theme from 'vitepress/theme-without-fonts'
import './site.css'

// The fonts of the reader's own system: nothing to load.
export default theme
