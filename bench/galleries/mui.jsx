import * as React from "react";
import { createRoot } from "react-dom/client";
import {
  Accordion, AccordionDetails, AccordionSummary, Autocomplete, Button, Checkbox, Chip, FormControlLabel, IconButton,
  List, ListItemButton, ListItemText, MenuItem, Pagination, Radio, RadioGroup, Rating, Slider, Switch, Tab, Table,
  TableBody, TableCell, TableHead, TableRow, Tabs, TextField, ToggleButton, ToggleButtonGroup,
} from "@mui/material";

const Sign = () => <svg width="16" height="16"><circle cx="8" cy="8" r="7" /></svg>;
const rows = [...Array(8)].map((_, n) => ({ name: `Row ${n}`, sum: (n * 7) % 100 }));

function Gallery() {
  const [tab, setTab] = React.useState(0);
  const [clicked, setClicked] = React.useState("");
  return (
    <main style={{ maxWidth: 700 }}>
      <h1>Widgets</h1>
      <Button variant="contained">Save</Button> <Button>Cancel</Button>
      <IconButton aria-label="Delete it"><Sign /></IconButton> <IconButton title="More"><Sign /></IconButton>
      <p><TextField label="First name" /> <TextField label="Last name" required /></p>
      <TextField label="Colour" select defaultValue="r" sx={{ width: 200 }}>
        <MenuItem value="r">Red</MenuItem><MenuItem value="g">Green</MenuItem>
      </TextField>
      <Autocomplete options={["Ada", "Ben", "Cleo"]} renderInput={(given) => <TextField {...given} label="Owner" />} />
      <FormControlLabel control={<Checkbox />} label="Agree" /> <FormControlLabel control={<Switch />} label="Dark" />
      <RadioGroup name="way"><FormControlLabel value="a" control={<Radio />} label="Air" />
        <FormControlLabel value="s" control={<Radio />} label="Sea" /></RadioGroup>
      <Slider aria-label="Volume" defaultValue={30} /> <Rating name="stars" defaultValue={2} />
      <Tabs value={tab} onChange={(_, to) => setTab(to)}><Tab label="One" /><Tab label="Two" /></Tabs>
      <ToggleButtonGroup value="l" exclusive><ToggleButton value="l">Left</ToggleButton>
        <ToggleButton value="r">Right</ToggleButton></ToggleButtonGroup>
      <Chip label="Open" onDelete={() => {}} /> <Chip label="Closed" onClick={() => {}} />
      <List><ListItemButton><ListItemText primary="Inbox" secondary="3 new" /></ListItemButton>
        <ListItemButton><ListItemText primary="Outbox" /></ListItemButton></List>
      <Accordion><AccordionSummary>Details</AccordionSummary><AccordionDetails>Words</AccordionDetails></Accordion>
      <Table><TableHead><TableRow><TableCell>Name</TableCell><TableCell>Sum</TableCell><TableCell /></TableRow></TableHead>
        <TableBody>{rows.map((row) => <TableRow key={row.name} onClick={() => setClicked(row.name)}>
          <TableCell>{row.name}</TableCell><TableCell>{row.sum}</TableCell>
          <TableCell><Button size="small">Edit</Button></TableCell></TableRow>)}</TableBody></Table>
      <Pagination count={9} /><p>{clicked}</p>
    </main>
  );
}

createRoot(document.getElementById("app")).render(<Gallery />);
