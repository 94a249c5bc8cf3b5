import * as React from "react";
import { createRoot } from "react-dom/client";
import {
  Button, Card, Checkbox, Collapse, DatePicker, Form, Input, InputNumber, Menu, Pagination, Radio, Rate, Select, Slider,
  Steps, Switch, Table, Tabs, Tag, Tree, Upload,
} from "antd";

const towns = ["Aachen", "Bremen", "Celle", "Dresden", "Erfurt", "Fulda", "Gera", "Halle"];
const rows = towns.map((town, n) => ({ key: n, town, people: 1000 + n * 37, open: n % 2 ? "open" : "closed" }));
const columns = [
  { title: "Town", dataIndex: "town", sorter: true }, { title: "People", dataIndex: "people" },
  { title: "State", dataIndex: "open", render: (state) => <Tag closable>{state}</Tag> },
  { title: "Act", key: "act", render: () => <><Button size="small">Edit</Button> <Button danger size="small">Delete</Button></> },
];

function Gallery() {
  return (
    <main style={{ maxWidth: 800 }}>
      <h1>Branches</h1>
      <Menu mode="horizontal" items={["Overview", "Branches", "Staff"].map((label) => ({ key: label, label }))} />
      <Form layout="vertical">
        <Form.Item label="Manager" name="manager" required><Input placeholder="Full name" /></Form.Item>
        <Form.Item label="Seats" name="seats"><InputNumber min={1} /></Form.Item>
        <Form.Item label="Region" name="region"><Select options={[{ value: "n", label: "North" }, { value: "s", label: "South" }]} /></Form.Item>
        <Form.Item label="Opens on" name="opens"><DatePicker /></Form.Item>
        <Form.Item label="Delivery"><Radio.Group options={["Road", "Rail"]} /></Form.Item>
        <Form.Item label="Services"><Checkbox.Group options={["Repair", "Rental", "Advice"]} /></Form.Item>
        <Form.Item label="Listed"><Switch /></Form.Item>
        <Form.Item label="Discount"><Slider /></Form.Item>
        <Form.Item label="Rating"><Rate /></Form.Item>
        <Upload><Button>Choose a picture</Button></Upload>
        <Button type="primary" htmlType="submit">Store branch</Button> <Button>Discard</Button>
      </Form>
      <Steps items={["Address", "Contract", "Opening"].map((title) => ({ title }))} onChange={() => {}} />
      <Tabs items={["Sales", "Costs"].map((label) => ({ key: label, label, children: `${label} of the year` }))} />
      <Table columns={columns} dataSource={rows} rowSelection={{}} pagination={false} />
      <Pagination total={80} />
      <Collapse items={["Hours", "Parking"].map((label) => ({ key: label, label, children: label }))} />
      <Tree defaultExpandAll checkable treeData={[{ title: "Europe", key: "e", children: [{ title: "Spain", key: "s" }, { title: "Italy", key: "i" }] }]} />
      <Card title="Depot" extra={<a href="#depot">More</a>}>Small</Card>
      <Card title="Garage" extra={<a href="#garage">More</a>}>Large</Card>
    </main>
  );
}

createRoot(document.getElementById("app")).render(<Gallery />);
