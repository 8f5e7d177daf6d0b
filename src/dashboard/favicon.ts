/** A hull with its ballast. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b5cad"/>
<path d="M5 13h22l-4 10a4 4 0 0 1-4 3h-6a4 4 0 0 1-4-3z" fill="#fff"/>
<circle cx="16" cy="20" r="3" fill="#0b5cad"/>
</svg>
`
