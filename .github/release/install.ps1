# Installs bmad-mcp on Windows:
#
#     irm https://github.com/OWNER/bmad-mcp/releases/latest/download/install.ps1 | iex
#
# Downloads the archive for this machine, compares it with SHA256SUMS, starts the program once and only then puts it
# in the place of an older one. Changes nothing else, not even PATH. All of it happens in a function that is called on
# the last line, so that a script whose download was cut off does nothing.
#
#     $env:BMAD_MCP_VERSION        which version, such as 0.1.0; else the latest
#     $env:BMAD_MCP_INSTALL_DIR    into which folder; else %LOCALAPPDATA%\Programs\bmad-mcp
#     $env:BMAD_MCP_BASE_URL       a mirror of the releases, laid out as on GitHub; else GitHub

function Install-BmadMcp {
  $ErrorActionPreference = 'Stop'
  # The progress bar of Windows PowerShell makes downloads many times slower.
  $ProgressPreference = 'SilentlyContinue'
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor 3072

  $base = 'https://github.com/OWNER/bmad-mcp/releases'
  if ($env:BMAD_MCP_BASE_URL) { $base = $env:BMAD_MCP_BASE_URL }
  $dir = Join-Path $env:LOCALAPPDATA 'Programs\bmad-mcp'
  if ($env:BMAD_MCP_INSTALL_DIR) { $dir = $env:BMAD_MCP_INSTALL_DIR }
  $sums = "$base/latest/download"
  if ($env:BMAD_MCP_VERSION) { $sums = "$base/download/v" + $env:BMAD_MCP_VERSION.TrimStart('v') }

  # In a 32-bit shell the first variable says what the shell is, and the second what the machine is.
  $processor = $env:PROCESSOR_ARCHITECTURE
  if ($env:PROCESSOR_ARCHITEW6432) { $processor = $env:PROCESSOR_ARCHITEW6432 }
  switch ($processor) {
    'AMD64' { $machine = 'x64' }
    'ARM64' { $machine = 'arm64' }
    default { throw "Cannot install bmad-mcp: there is no binary for $processor, only for AMD64 and ARM64" }
  }

  $tmp = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
  New-Item -ItemType Directory -Path $tmp | Out-Null
  try {
    Invoke-WebRequest -UseBasicParsing "$sums/SHA256SUMS" -OutFile "$tmp\SHA256SUMS"
    $line = Get-Content "$tmp\SHA256SUMS" |
      Where-Object { $_ -match "^([0-9a-f]{64})  (bmad-mcp-([0-9A-Za-z.+-]+)-windows-$machine\.zip)$" }
    if (-not $line) {
      throw "Cannot install bmad-mcp: SHA256SUMS of that release names no archive for windows-$machine"
    }
    $sum, $archive = $line -split '  '
    $version = $archive -replace '^bmad-mcp-' -replace "-windows-$machine\.zip$"

    Write-Host "Downloading bmad-mcp $version for windows-$machine"
    Invoke-WebRequest -UseBasicParsing "$base/download/v$version/$archive" -OutFile "$tmp\$archive"
    if ((Get-FileHash -Algorithm SHA256 "$tmp\$archive").Hash -ne $sum) {
      throw "Cannot install bmad-mcp: $archive is not what SHA256SUMS says; try again, and report it if that fails too"
    }
    Expand-Archive "$tmp\$archive" -DestinationPath "$tmp\new"
    $said = & "$tmp\new\bmad-mcp.exe" --version
    if ($LASTEXITCODE -ne 0) {
      throw 'Cannot install bmad-mcp: the program does not start here; what was there before is untouched'
    }

    New-Item -ItemType Directory -Force -Path $dir | Out-Null
    $program = Join-Path $dir 'bmad-mcp.exe'
    # A program that runs cannot be overwritten, but it can be renamed. One that still runs since an earlier update keeps
    # its name, so each gets one of its own; they go when nothing runs them any more.
    Remove-Item -Force -ErrorAction SilentlyContinue "$program.*.old"
    $old = "$program.$([Guid]::NewGuid()).old"
    if (Test-Path $program) { Move-Item -Force $program $old }
    try {
      Move-Item "$tmp\new\bmad-mcp.exe" $program
    } catch {
      if (Test-Path $old) { Move-Item -Force $old $program }
      throw
    }
    Remove-Item -Force -ErrorAction SilentlyContinue $old

    Write-Host "Installed $said as $program"
    if (($env:PATH -split ';') -notcontains $dir) {
      Write-Host @"
That folder is not on your PATH. These lines add it for you; then start your terminal and clients anew:

    `$path = [Environment]::GetEnvironmentVariable('PATH', 'User')
    [Environment]::SetEnvironmentVariable('PATH', "`$path;$dir", 'User')

"@
    }
    Write-Host 'Connect your clients: bmad-mcp install'
  } finally {
    Remove-Item -Recurse -Force -ErrorAction SilentlyContinue $tmp
  }
}

Install-BmadMcp
